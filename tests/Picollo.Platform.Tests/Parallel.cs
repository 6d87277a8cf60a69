// More parallel tests than processors, because Wine waits most of the time, and an emulated machine uses one processor.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
