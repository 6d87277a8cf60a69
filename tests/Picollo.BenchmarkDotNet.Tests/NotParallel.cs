// Not in parallel: measures are for the whole process, and an environment variable of the process contains the path of the exchange file.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
