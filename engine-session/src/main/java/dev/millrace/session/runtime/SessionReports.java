package dev.millrace.session.runtime;

import dev.millrace.session.SessionReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reports of sessions that were not built by themselves: from a cache, or from another session's model. */
final class SessionReports {
    private SessionReports() {}

    /** Returns a report with the use of the cache and further notes before its own. */
    static SessionReport cached(SessionReport report, SessionReport.CacheUse use, List<String> more) {
        var all = new ArrayList<>(more);
        all.addAll(report.notes());
        // a context model in a cache belongs to the cache, and is no result
        return new SessionReport(report.partitions(), report.optimisation(), report.phases(), null, use, all);
    }

    /** Returns the report of a session that shares the model of another one. */
    static SessionReport shared(SessionReport report, long nanos) {
        return new SessionReport(
                report.partitions(),
                report.optimisation(),
                Map.of("share", Duration.ofNanos(nanos)),
                null,
                SessionReport.CacheUse.NONE,
                report.notes());
    }
}
