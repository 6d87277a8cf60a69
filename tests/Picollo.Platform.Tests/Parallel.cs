// More at once than there are processors: Wine waits most of the time, and one emulated processor takes one of ours.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
