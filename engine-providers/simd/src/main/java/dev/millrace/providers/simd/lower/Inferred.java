package dev.millrace.providers.simd.lower;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The inference of a partition, made when its output types were asked for. The binding that follows need not infer them
 * again.
 */
public final class Inferred {
    private final List<@Nullable ValueType> types;
    private final @Nullable BindingFacts facts;
    private final @Nullable Node open;

    private Inferred(List<@Nullable ValueType> types, @Nullable BindingFacts facts, @Nullable Node open) {
        this.types = types;
        this.facts = facts;
        this.open = open;
    }

    public static Inferred of(Graph graph, Facts known, CompileEnvironment environment) {
        var types = new ArrayList<@Nullable ValueType>();
        var inputs = new OfFacts(known);
        try {
            var facts = new BindingFacts(graph, inputs, environment);
            for (Value output : graph.outputs()) {
                ValueState cell = facts.cell(output);
                types.add(ValueType.tensor(cell.type(), cell.shape()));
            }
            return new Inferred(types, inputs.areRead ? null : facts, null);
        } catch (NoShape _) {
            return new Inferred(declared(graph), null, null);
        } catch (NotInProgram unknown) {
            return new Inferred(declared(graph), null, unknown.node());
        } finally {
            inputs.facts = null;
        }
    }

    private static List<@Nullable ValueType> declared(Graph graph) {
        var types = new ArrayList<@Nullable ValueType>();
        for (Value output : graph.outputs()) {
            types.add(output.type());
        }
        return types;
    }

    /** The first node whose outputs could not be inferred, in the graph or in a branch; null where there is none. */
    public @Nullable Node open() {
        return open;
    }

    /** The types of the outputs, without shapes where these do not follow from the known facts. */
    public List<@Nullable ValueType> types() {
        return types;
    }

    /**
     * Returns the facts for the binding of the same inputs, which that binding alone may use; null where they say too
     * little for a binding, which also sees constants.
     */
    @Nullable
    BindingFacts of(BindContext context, BindingFacts.Inputs ofBinding) {
        if (facts == null || seesConstants(context)) {
            return null;
        }
        facts.goOn(ofBinding);
        return facts;
    }

    private static boolean seesConstants(BindContext context) {
        for (int i = 0; i < context.inputCount(); i++) {
            if (context.constantInput(i) != null) {
                return true;
            }
        }
        return false;
    }

    /** Thrown where an input has no shape. */
    private static final class NoShape extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoShape() {
            super("an input has no shape", null, false, false);
        }
    }

    /** The inputs as inference sees them. Each is asked for once, in order. */
    private static final class OfFacts implements BindingFacts.Inputs {
        /** The facts during the inference, null afterwards: they refer to a run, with everything it holds. */
        private @Nullable Facts facts;

        /** Whether the content of an input was asked for. */
        private boolean areRead;

        OfFacts(Facts facts) {
            this.facts = facts;
        }

        @Override
        public ElementType type(int input) {
            return Objects.requireNonNull(tensor(input).element());
        }

        @Override
        public Shape shape(int input) {
            return Objects.requireNonNull(tensor(input).concreteShape());
        }

        private ValueType.TensorType tensor(int input) {
            if (facts().type(input) instanceof ValueType.TensorType type
                    && type.element() != null
                    && type.concreteShape() != null) {
                return type;
            }
            throw new NoShape();
        }

        @Override
        public @Nullable Tensor known(int input) {
            return null;
        }

        @Override
        public @Nullable Tensor content(int input) {
            areRead = true;
            return facts().value(input);
        }

        private Facts facts() {
            return Objects.requireNonNull(facts);
        }
    }
}
