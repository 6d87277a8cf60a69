// One at a time: what is measured is the process's, and an environment variable of it names the file of a run.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
