return await Picollo.Scheduling.Tests.Shared.SharedPoolProgram.Run();
