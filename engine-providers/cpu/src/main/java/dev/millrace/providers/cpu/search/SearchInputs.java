package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import org.jspecify.annotations.Nullable;

/** The inputs of a search, read and checked. */
record SearchInputs(DynamicContext context) {
    /** The first of the inputs that every search begins with. */
    static final int WORDS = 0;

    static final int LONGEST = 1;
    static final int SHORTEST = 2;

    Node node() {
        return context.node();
    }

    @Nullable
    Tensor find(int input) {
        boolean there = input < context.inputCount() && context.input(input) != null;
        return there ? context.tensor(input) : null;
    }

    int @Nullable [] numbers(int input) {
        Tensor tensor = find(input);
        if (tensor != null && tensor.type() != ElementType.INT32) {
            throw refuse("input " + input + " has whole numbers, but here is " + tensor);
        }
        return tensor == null ? null : tensor.ints();
    }

    double number(int input, double otherwise) {
        Tensor tensor = find(input);
        if (tensor == null) {
            return otherwise;
        }
        if (tensor.elements() == 1) {
            return Elements.getDouble(tensor.type(), tensor.segment(), 0);
        }
        throw refuse("input " + input + " is one number, but here is " + tensor);
    }

    /** Returns a positive number, 1 where the input is omitted. */
    float positive(int input, String what) {
        float number = (float) number(input, 1);
        if (!(number > 0)) {
            throw refuse(what + " is " + number + " where a positive number is expected");
        }
        return number;
    }

    int within(String what, double value, int from, int to) {
        if (!(value >= from && value <= to)) {
            throw refuse(what + " is " + (value == Math.rint(value) ? "" + (long) value : "" + value) + " where " + from
                    + " to " + to + " is expected");
        }
        return (int) value;
    }

    int attribute(String name, int otherwise) {
        return within(name, node().attributes().integer(name, otherwise), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** Throws where sequences have no room for a further word. */
    void requireRoom(int most, int before) {
        if (before >= most) {
            throw refuse("max_length is " + most + " where sequences begin with " + before + " words");
        }
    }

    EngineException refuse(String what) {
        return EngineException.invalidArgument(node().describe() + ": " + what);
    }
}
