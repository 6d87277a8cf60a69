// More parallel tests than processors, because most of the time tests wait for a process.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
