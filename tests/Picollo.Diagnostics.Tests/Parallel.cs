// More at once than there are processors: most of the time, tests wait for a process.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
