package dev.millrace.bench.agree;

import dev.millrace.cli.ProviderFlag;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * How models are compared, as one process tells it another.
 *
 * @param draws how often inputs are made up
 * @param seed goes into what is made up, with the model's content
 * @param threads of each side
 * @param providers in the order in which they are asked; empty for all there are
 * @param tolerances as they are said
 */
record Settings(int draws, long seed, int threads, List<String> providers, List<String> tolerances) {
    private static final String SEPARATOR = ",";

    List<String> toArguments() {
        return List.of(
                "" + draws,
                "" + seed,
                "" + threads,
                String.join(SEPARATOR, providers),
                String.join(SEPARATOR, tolerances));
    }

    static Settings ofArguments(String... arguments) {
        return new Settings(
                Integer.parseInt(arguments[0]),
                Long.parseLong(arguments[1]),
                Integer.parseInt(arguments[2]),
                split(arguments[3]),
                split(arguments[4]));
    }

    private static List<String> split(String list) {
        return list.isEmpty() ? List.of() : new ArrayList<>(List.of(list.split(SEPARATOR)));
    }

    SessionOptions options(boolean optimise) {
        var level = optimise ? Level.ALL : Level.DISABLED;
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(level).build());
        providers.forEach(text -> ProviderFlag.add(text, options));
        return options.build();
    }
}
