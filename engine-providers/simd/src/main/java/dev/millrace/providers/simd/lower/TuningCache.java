package dev.millrace.providers.simd.lower;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The methods chosen for work that several methods can do, as an autotuner measured them or a cost model counted them.
 * Work and methods are texts, which a context keeps. Safe for use by several threads.
 */
public final class TuningCache {
    private final ConcurrentHashMap<String, String> made = new ConcurrentHashMap<>();
    private final boolean measures;

    private TuningCache(boolean measures) {
        this.measures = measures;
    }

    /** Creates choices that follow the cost model. */
    public static TuningCache counted() {
        return new TuningCache(false);
    }

    /** Creates choices that are measured when they are first asked for. */
    public static TuningCache measured() {
        return new TuningCache(true);
    }

    /** Creates choices that were measured before; the cost model decides the rest. */
    public static TuningCache kept(Map<String, String> before) {
        var choices = new TuningCache(false);
        choices.made.putAll(before);
        return choices;
    }

    /** The name of the chosen method for each kind of work that was measured. */
    public Map<String, String> made() {
        return Map.copyOf(made);
    }

    /**
     * Returns the method for some work.
     *
     * @param work names everything that its time depends on
     * @param ways the methods that can do it
     * @param counted the method by the cost model, used unless another was measured as faster
     * @param trial prepares a method, to be run several times
     */
    public <W extends Enum<W>> W of(Supplier<String> work, List<W> ways, W counted, Function<W, Runnable> trial) {
        if (ways.size() < 2 || !measures && made.isEmpty()) {
            return counted;
        }
        String key = work.get();
        String chosen = made.get(key);
        if (chosen == null && measures) {
            W fastest = ways.get(Autotuner.fastest(ways.stream().map(trial).toList(), ways.indexOf(counted)));
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
