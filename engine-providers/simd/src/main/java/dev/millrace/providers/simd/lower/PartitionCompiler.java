package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.program.PartitionProgram;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.scheduler.kernel.BindContext;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the program of a partition for one tuple of shapes. Used once. */
public final class PartitionCompiler {
    private static final List<Expr> PAIR = List.of(Expr.input(0), Expr.input(1));

    private final Graph graph;
    private final BindContext context;
    private final CompileEnvironment environment;
    private final Function<Node, @Nullable Rule> rules;
    private final BindingFacts facts;
    private final Fusion fusion = new Fusion(this);
    private final Layouts layouts = new Layouts(this);
    private final List<ProgramStep> steps = new ArrayList<>();
    /** The inputs of the partition in whose memory values may be computed. */
    private final Map<Storage, Integer> donors = new IdentityHashMap<>();

    /** @param rules the rule of a node, or null where there is none */
    public PartitionCompiler(
            Graph graph, BindContext context, CompileEnvironment environment, Function<Node, @Nullable Rule> rules) {
        this(graph, context, environment, rules, null);
    }

    /**
     * @param rules the rule of a node, or null where there is none
     * @param inferred what was inferred from the same inputs, for this binding alone
     */
    public PartitionCompiler(
            Graph graph,
            BindContext context,
            CompileEnvironment environment,
            Function<Node, @Nullable Rule> rules,
            @Nullable Inferred inferred) {
        this.graph = graph;
        this.context = context;
        this.environment = environment.with(environment.weights().ofBinding());
        this.rules = rules;
        var inputs = new OfBinding(context);
        BindingFacts known = inferred == null ? null : inferred.of(context, inputs);
        facts = known == null ? new BindingFacts(graph, inputs, this.environment) : known;
    }

    /** Inputs as the plan's binder knows them. */
    private record OfBinding(BindContext context) implements BindingFacts.Inputs {
        @Override
        public ElementType type(int input) {
            return context.inputType(input);
        }

        @Override
        public Shape shape(int input) {
            return context.inputShape(input);
        }

        @Override
        public @Nullable Tensor known(int input) {
            return context.constantInput(input);
        }

        @Override
        public Tensor content(int input) {
            return context.requireValue(input);
        }
    }

    /** The program; outputs that are known are folded. */
    public PartitionProgram lower() {
        for (int i = 0; i < graph.inputs().size(); i++) {
            ValueState cell = cell(graph.inputs().get(i));
            cell.plain = View.dense(Storage.input(i, cell.type().bytes(cell.elements())), cell.type(), cell.shape());
        }
        for (Node node : facts.nodes()) {
            context.checkCancelled();
            lower(node);
        }
        // all that may fail comes before the first thing that the binding is told of an output
        for (Value output : graph.outputs()) {
            context.checkCancelled();
            if (!cell(output).isKnown()) {
                denseOutput(cell(output));
            }
        }
        for (int i = 0; i < graph.outputs().size(); i++) {
            finish(i, cell(graph.outputs().get(i)));
        }
        environment.weights().finish(context::checkCancelled);
        return PartitionProgram.of(
                steps,
                graph.inputs().size(),
                graph.outputs().size(),
                width(),
                environment.kernels()::newRecording,
                environment.blocks());
    }

    /** Ends the binding where the run that waits for it was cancelled. */
    void checkCancelled() {
        context.checkCancelled();
    }

    private void lower(Node node) {
        var op = new LoweringContext(node, this);
        try {
            Rule rule = rules.apply(node);
            if (isEmpty(op)) {
                provideEmpty(op);
            } else if (rule == null || !rule.lower(op)) {
                FallbackStep.lower(op);
            }
        } catch (RuntimeException e) {
            throw InternalErrors.at(node, e);
        }
    }

    private static boolean isEmpty(LoweringContext op) {
        for (int i = 0; i < op.outputs(); i++) {
            if (op.wants(i) && op.out(i).elements() > 0) {
                return false;
            }
        }
        return true;
    }

    private void provideEmpty(LoweringContext op) {
        for (int i = 0; i < op.outputs(); i++) {
            if (op.wants(i)) {
                allocate(op.out(i));
            }
        }
    }

    /** Sees to it that an output of the partition is where the caller looks for it. */
    private void finish(int output, ValueState cell) {
        Tensor known = cell.known();
        if (known != null) {
            context.fold(output, known);
            return;
        }
        View view = dense(cell);
        Storage storage = view.storage();
        if (storage.isFree() && view.isWhole()) {
            storage.becomeOutput(output);
            Integer donor = donors.get(storage);
            if (donor != null && isReadOnce(donor)) {
                context.mayReuse(output, donor);
            }
        } else if (storage.kind() == Storage.Kind.INPUT && view.isWhole() && canAlias(output, storage.index())) {
            context.alias(output, storage.index());
        } else {
            Storage own = Storage.block(view.bytes());
            own.becomeOutput(output);
            copy(view, View.dense(own, view.type(), view.shape()), cell.name());
        }
    }

    /** Whether only one step reads an input. */
    private boolean isReadOnce(int input) {
        return steps.stream().filter(step -> reads(step, input)).count() == 1;
    }

    private static boolean reads(ProgramStep step, int input) {
        return step.reads().stream()
                .map(view -> view.storage().root())
                .anyMatch(root -> root.kind() == Storage.Kind.INPUT && root.index() == input);
    }

    /**
     * Allows the step that computes {@code result} to get the memory of {@code source} for it, as long as no other step
     * reads the source.
     */
    public void mayReuse(View result, View source) {
        Storage from = source.storage().root();
        if (from.kind() == Storage.Kind.INPUT && source.isWhole() && result.isWhole()) {
            donors.put(result.storage(), from.index());
        }
    }

    private boolean canAlias(int output, int input) {
        return context.outputType(output) == context.inputType(input);
    }

    public CompileEnvironment environment() {
        return environment;
    }

    /** How many threads a run can count on. */
    public int width() {
        return Math.max(1, context.parallelism());
    }

    ValueState cell(Value value) {
        return facts.cell(value);
    }

    /** The content of what a node reads, which the binding depends on. */
    Tensor content(Node node, ValueState cell) {
        Value value = cell.value();
        Tensor content = value == null ? cell.known() : facts.content(value);
        if (content == null) {
            throw new NotInProgram(node, "the content of '" + cell.name() + "' is only known in a run");
        }
        return content;
    }

    /** Something that is computed on the way to a value, and read once. */
    public ValueState part(ValueState of, ElementType type, Shape shape) {
        var cell = new ValueState(of.orderOfPart(), type, shape);
        cell.readers = 1;
        return cell;
    }

    /** A number or a table of numbers that is made on the way. */
    public ValueState constant(Tensor tensor) {
        return new ValueState(null, 0, tensor.type(), tensor.shape(), tensor);
    }

    public void add(ProgramStep step) {
        steps.add(step);
    }

    /** Memory of its own for a value, in the order of its indices. */
    public View allocate(ValueState cell) {
        View view = allocate(cell.type(), cell.shape());
        cell.plain = view;
        cell.pending = null;
        return view;
    }

    /** Memory for something between two steps. */
    public View allocate(ElementType type, Shape shape) {
        return View.dense(Storage.block(type.bytes(shape.elements())), type, shape);
    }

    /** Memory of its own for images, in blocks of channels. */
    public View allocateBlocked(ValueState cell) {
        int block = environment.block();
        long bytes = Float.BYTES * View.blockedElements(cell.shape(), block);
        View view = View.blocked(Storage.block(bytes), cell.shape(), 0, block);
        cell.blocked = view;
        cell.pending = null;
        return view;
    }

    /** Lets a value be what lies somewhere already. */
    public void provide(ValueState cell, View view) {
        if (view.isBlocked()) {
            cell.blocked = view;
        } else {
            cell.plain = view;
        }
        cell.pending = null;
    }

    /** Lets a value be channels of another one. */
    public void provide(ValueState cell, Channels channels) {
        cell.channels = channels;
        cell.pending = null;
    }

    /** The channels that a value is of images in blocks, where they would have to be moved for it; else null. */
    public @Nullable Channels unmoved(ValueState cell) {
        materialise(cell);
        return Channels.unmoved(cell, environment.block());
    }

    /**
     * Adds a move of channels of images in blocks.
     *
     * @param from null where they all become zero
     * @param first of the channels that are written
     */
    public void moveChannels(ValueState cell, @Nullable View from, View to, int first, int[] order) {
        layouts.move(cell, from, to, first, order);
    }

    /** A value that is an expression of others. */
    public void defer(ValueState cell, List<ValueState> operands, Formula formula) {
        fusion.defer(cell, new DeferredElementwise(formula, operands));
    }

    /** A value that waits for what follows it. */
    public void defer(ValueState cell, FusionRoot root) {
        cell.pending = root;
    }

    /** The operands of a sum that waits and would be computed by itself, or null where a value is none. */
    public @Nullable List<ValueState> addends(ValueState cell) {
        return cell.pending instanceof DeferredElementwise
                ? Region.of(cell, true).addends()
                : null;
    }

    /** Counts one reader less, which reads what a value is made of instead. */
    public void passOver(ValueState cell) {
        cell.readers--;
    }

    /** The two values that one waits to be the product of; none where it is anything else. */
    public List<ValueState> factors(ValueState cell) {
        if (cell.pending instanceof DeferredElementwise(Formula formula, List<ValueState> operands)
                && operands.size() == 2
                && formula.of(PAIR).equals(PAIR.get(0).times(PAIR.get(1)))) {
            return operands;
        }
        return List.of();
    }

    /** Sees to it that a value is in memory. */
    public void materialise(ValueState cell) {
        if (!cell.isInMemory()) {
            try {
                fusion.materialise(cell);
            } catch (RuntimeException e) {
                throw InternalErrors.at(cell.producer(), e);
            }
        }
    }

    /** A value at any strides, in no blocks. */
    public View view(ValueState cell) {
        materialise(cell);
        return layouts.plain(cell);
    }

    /** A value in the order of its indices. */
    public View dense(ValueState cell) {
        materialise(cell);
        return layouts.dense(cell);
    }

    private View denseOutput(ValueState cell) {
        try {
            return dense(cell);
        } catch (RuntimeException e) {
            throw InternalErrors.at(cell.producer(), e);
        }
    }

    /** Images of floats in blocks of channels. */
    public View blocked(ValueState cell) {
        materialise(cell);
        return layouts.blocked(cell);
    }

    /** Adds a copy between views of one shape, none of them in blocks. */
    public void copy(View from, View to, String name) {
        layouts.copy(from, to, name);
    }
}
