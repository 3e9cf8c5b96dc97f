package dev.millrace.cli.fire;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** The calls of the API: correct ones, and ones with null, too much, or something closed as an argument. */
abstract class MisuseCalls {
    private final List<Call> all = new ArrayList<>();

    /** A call, and its name in messages. */
    record Call(String name, Consumer<MisuseScene> action) {}

    final List<Call> all() {
        return Collections.unmodifiableList(all);
    }

    final void add(String name, Consumer<MisuseScene> action) {
        all.add(new Call(name, action));
    }

    /** Adds a call twice, because others depend on it. */
    final void often(String name, Consumer<MisuseScene> action) {
        add(name, action);
        add(name, action);
    }

    static Tensor tensor(long... dims) {
        return Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
    }
}
