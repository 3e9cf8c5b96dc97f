package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.optimise.pass.Patch;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The patches found at each of some items, one after the other, each looked for when it is asked for. */
final class Sweep<T> implements Iterator<Patch> {
    private final Iterator<T> items;
    private final Function<T, @Nullable Patch> rule;
    private @Nullable Patch ahead;

    private Sweep(Iterator<T> items, Function<T, @Nullable Patch> rule) {
        this.items = items;
        this.rule = rule;
    }

    static <T> Iterator<Patch> over(Iterable<T> items, Function<T, @Nullable Patch> rule) {
        return new Sweep<>(items.iterator(), rule);
    }

    @Override
    public boolean hasNext() {
        while (ahead == null && items.hasNext()) {
            ahead = rule.apply(items.next());
        }
        return ahead != null;
    }

    @Override
    public Patch next() {
        if (!hasNext() || ahead == null) {
            throw new NoSuchElementException();
        }
        Patch patch = ahead;
        ahead = null;
        return patch;
    }
}
