// Each emulated machine takes a whole processor or two.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
