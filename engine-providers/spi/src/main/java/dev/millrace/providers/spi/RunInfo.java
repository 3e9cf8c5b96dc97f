package dev.millrace.providers.spi;

import java.util.Map;

/**
 * A run of a session, as its providers see it.
 *
 * @param id the number of the run, which no other run of the process has
 * @param session the session's name
 * @param tag the name that the caller gave the run; empty for none
 * @param config options of this run for providers, such as {@code qnn.htp_perf_mode}; a provider reads those that it knows
 * @param synchronise whether the outputs are for the host, so that a provider waits at the end of the run for the work that
 *     it queued itself; false where outputs stay on a device
 */
public record RunInfo(long id, String session, String tag, Map<String, String> config, boolean synchronise) {
    public RunInfo {
        config = Map.copyOf(config);
    }
}
