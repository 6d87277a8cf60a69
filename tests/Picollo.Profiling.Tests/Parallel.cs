// A profile of this process includes the samples, descriptors and threads of all concurrent tests.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
