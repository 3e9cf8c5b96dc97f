package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.session.PlatformReport;
import dev.millrace.session.prepare.Factories;
import java.util.ArrayList;
import java.util.LinkedHashMap;

/**
 * Tells the log once how an engine's providers compute on this machine: a warning where models are slower than they could
 * be, and one line of information otherwise. Thread-safe.
 */
final class PlatformNotice {
    private static final String FAST = "simd";

    private final Factories factories;
    private final int threads;
    private boolean told;

    PlatformNotice(Factories factories, int threads) {
        this.factories = factories;
        this.threads = threads;
    }

    /** Waits until providers know their levels. */
    PlatformReport report() {
        var levels = new LinkedHashMap<String, ProviderLevel>();
        var notes = new ArrayList<String>();
        for (ProviderFactory factory : factories.byName().values()) {
            ProviderLevel level;
            try {
                level = ProviderGuard.call(factory.name(), factory::level);
            } catch (EngineException e) {
                notes.add(String.valueOf(e.getMessage()));
                continue;
            }
            if (level != null) {
                levels.put(factory.name(), level);
            }
            if (level != null && level.isLowered()) {
                notes.add(level.describe(factory.name()));
            }
        }
        if (!factories.byName().containsKey(FAST)) {
            notes.add("provider '" + FAST
                    + "' is not on the class path, and models run many times more slowly than with it;"
                    + " add the artifact millrace-provider-simd. The providers are " + factories.names());
        }
        String jdk = JdkCheck.trouble(Runtime.version());
        if (jdk != null) {
            notes.add(jdk);
        }
        return new PlatformReport(levels, notes);
    }

    /** Tells what there is to tell, unless that was done before. It is told when this returns, whoever tells it. */
    synchronized void tell() {
        if (told) {
            return;
        }
        told = true;
        PlatformReport report = report();
        System.Logger log = System.getLogger(PlatformNotice.class.getName());
        if (report.notes().isEmpty()) {
            log.log(System.Logger.Level.INFO, summary(report));
        } else {
            log.log(System.Logger.Level.WARNING, String.join(". ", report.notes()));
        }
    }

    private String summary(PlatformReport report) {
        var parts = new ArrayList<String>();
        parts.add("Millrace on JDK " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ", " + threads + (threads == 1 ? " thread" : " threads"));
        parts.add("providers " + factories.names());
        report.levels().forEach((provider, level) -> parts.add(level.describe(provider)));
        return String.join("; ", parts);
    }
}
