using Version01App;

HistogramProgram.Run();
ReadingProgram.Run();
CounterProgram.Run();
