// Tests do not run in parallel, because measures are for the whole process, and an environment variable contains the path of the exchange file.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
