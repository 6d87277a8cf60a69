using Picollo.Scheduling.Tests.Starvation;

return await Starving.Run(args);
