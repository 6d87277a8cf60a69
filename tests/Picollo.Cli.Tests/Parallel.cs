// More threads than processors, because tests mostly wait for a process or a terminal.
[assembly: CollectionBehavior(MaxParallelThreads = 6)]
