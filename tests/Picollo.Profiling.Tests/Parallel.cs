// A profile of this process has the samples, descriptors and threads of all tests that run meanwhile.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
