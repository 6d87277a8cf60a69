// More tests in parallel than processors, because most of the time, tests wait for a process, a server or a delay.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
