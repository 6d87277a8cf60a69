-- wrk prints only the percentiles 50, 75, 90 and 99. For 100, latency:percentile returns 0 in wrk 4.1.0, so this script uses latency.max.
done = function(summary, latency, requests)
  io.write("Percentiles, us:")
  for _, percentile in ipairs({50, 66, 75, 80, 90, 95, 98, 99}) do
    io.write(string.format(" %d", latency:percentile(percentile)))
  end
  io.write(string.format(" %d\n", latency.max))
end
