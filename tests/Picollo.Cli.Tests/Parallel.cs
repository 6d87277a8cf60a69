// More at once than there are processors: most of the time, tests wait for a process or a terminal.
[assembly: CollectionBehavior(MaxParallelThreads = 6)]
