// More at once than there are processors: most of the time, tests wait for a process, a server or a second to pass.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
