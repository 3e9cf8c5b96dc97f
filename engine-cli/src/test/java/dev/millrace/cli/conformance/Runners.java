package dev.millrace.cli.conformance;

import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.session.Engine;
import dev.millrace.session.SessionOptions;
import java.time.Duration;

/** Makes what runs cases in one of the ways in which all of them are run. */
final class Runners {
    private Runners() {}

    /** @param provider the only one, or {@code all} */
    static CaseRunner of(Engine engine, String provider, boolean optimise) {
        Level level = optimise ? Level.ALL : Level.DISABLED;
        return new CaseRunner(
                engine,
                cancellation -> {
                    var options = SessionOptions.builder()
                            .cancellation(cancellation)
                            .optimiser(Optimiser.Options.builder().level(level).build());
                    if (!provider.equals("all")) {
                        options.provider(provider);
                    }
                    return options.build();
                },
                Duration.ofSeconds(60));
    }
}
