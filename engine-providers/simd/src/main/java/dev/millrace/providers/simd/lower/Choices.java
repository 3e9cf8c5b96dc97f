package dev.millrace.providers.simd.lower;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The ways in which work is done that can be done in several, where they were measured rather than counted. Work and ways are
 * texts, which a context keeps. Safe for use by several threads.
 */
public final class Choices {
    private final ConcurrentHashMap<String, String> made = new ConcurrentHashMap<>();
    private final boolean measures;

    private Choices(boolean measures) {
        this.measures = measures;
    }

    /** Ways are what a rough count says. */
    public static Choices counted() {
        return new Choices(false);
    }

    /** Ways are measured when they are first asked for. */
    public static Choices measured() {
        return new Choices(true);
    }

    /** What was measured before, and a count for the rest. */
    public static Choices kept(Map<String, String> before) {
        var choices = new Choices(false);
        choices.made.putAll(before);
        return choices;
    }

    /** The name of the way for each kind of work that was measured. */
    public Map<String, String> made() {
        return Map.copyOf(made);
    }

    /**
     * The way of some work.
     *
     * @param work all that its time depends on
     * @param ways that it can be done in
     * @param counted what it is done in unless something else was measured
     * @param trial makes a way ready, to be run some times
     */
    public <W extends Enum<W>> W of(Supplier<String> work, List<W> ways, W counted, Function<W, Runnable> trial) {
        if (ways.size() < 2 || !measures && made.isEmpty()) {
            return counted;
        }
        String key = work.get();
        String chosen = made.get(key);
        if (chosen == null && measures) {
            W fastest = ways.get(Trials.fastest(ways.stream().map(trial).toList(), ways.indexOf(counted)));
            String before = made.putIfAbsent(key, fastest.name());
            chosen = before == null ? fastest.name() : before;
        }
        for (W way : ways) {
            if (way.name().equals(chosen)) {
                return way;
            }
        }
        return counted;
    }
}
