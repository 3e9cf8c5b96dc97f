package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.plan.MemoryPlanner;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lays out one program for one tuple of input shapes. Used once. */
final class ProgramBinder {
    private static final int[] ALL_SLOTS = {0, 1, 2, 3, 4, 5, 6, 7};

    private final SimdProgram program;
    private final List<MemorySegment> segments;
    private final ProductKernel products;
    private final ProgramShapes shapes;
    /** Where each instruction's result lies. */
    private final Place[] results;
    /** Where a product lies whose expression is larger than itself, and so comes after it. */
    private final @Nullable Place[] rawProducts;

    ProgramBinder(SimdProgram program, List<MemorySegment> segments, ProductKernel products, ProgramShapes shapes) {
        this.program = program;
        this.segments = segments;
        this.products = products;
        this.shapes = shapes;
        this.results = new Place[program.instructions().size()];
        this.rawProducts = new Place[results.length];
    }

    Launch bind(BindContext context) {
        place(context);
        reuse(context);
        var bound = new ArrayList<BoundInstruction>();
        for (int i = 0; i < results.length; i++) {
            switch (program.instructions().get(i)) {
                case SimdProgram.Product product -> product(i, product, bound);
                case SimdProgram.Elementwise elementwise ->
                    bound.add(elementwise(i, elementwise.expression(), ALL_SLOTS));
            }
        }
        BoundInstruction[] work = bound.stream().filter(one -> one.items() > 0).toArray(BoundInstruction[]::new);
        return launch -> {
            for (BoundInstruction one : work) {
                launch.checkCancelled();
                launch.parallelFor(one.items(), one.grain(), one);
            }
        };
    }

    /** Gives every result its place: an output, or a part of the workspace from where it is made to its last reader. */
    private void place(BindContext context) {
        int count = results.length;
        int[] last = lastUses();
        var buffers = new ArrayList<MemoryPlanner.Buffer>();
        var ofResult = new MemoryPlanner.@Nullable Buffer[count];
        var ofProduct = new MemoryPlanner.@Nullable Buffer[count];
        for (int i = 0; i < count; i++) {
            int output = program.outputs().indexOf(i);
            if (output >= 0) {
                results[i] = Place.output(output);
            } else {
                ofResult[i] = buffer(shapes.result(i), i, last[i], buffers);
            }
            if (isApart(i)) {
                ofProduct[i] = buffer(shapes.product(i), i, i, buffers);
            }
        }
        context.workspace(MemoryPlanner.place(buffers, 0));
        for (int i = 0; i < count; i++) {
            MemoryPlanner.Buffer result = ofResult[i];
            MemoryPlanner.Buffer product = ofProduct[i];
            if (result != null) {
                results[i] = Place.workspace(result.offset());
            }
            rawProducts[i] = product == null ? null : Place.workspace(product.offset());
        }
    }

    private static MemoryPlanner.Buffer buffer(Shape shape, int from, int to, List<MemoryPlanner.Buffer> buffers) {
        var buffer = new MemoryPlanner.Buffer(ElementType.FLOAT.bytes(shape.elements()), from, to);
        buffers.add(buffer);
        return buffer;
    }

    private int[] lastUses() {
        int[] last = new int[results.length];
        for (int i = 0; i < last.length; i++) {
            last[i] = i;
            for (Source source : program.instructions().get(i).sources()) {
                if (source.kind() == Source.Kind.RESULT) {
                    last[source.index()] = i;
                }
            }
        }
        return last;
    }

    private boolean isApart(int instruction) {
        return program.instructions().get(instruction) instanceof SimdProgram.Product
                && shapes.product(instruction).elements()
                        != shapes.result(instruction).elements();
    }

    /** Lets an output take the place of an input that its instruction reads last, element by element. */
    private void reuse(BindContext context) {
        int[] last = new int[program.inputs()];
        Arrays.fill(last, -1);
        for (int i = 0; i < results.length; i++) {
            for (Source source : program.instructions().get(i).sources()) {
                if (source.kind() == Source.Kind.INPUT) {
                    last[source.index()] = i;
                }
            }
        }
        boolean[] taken = new boolean[program.inputs()];
        for (int output = 0; output < program.outputs().size(); output++) {
            int instruction = program.outputs().get(output);
            Expression expression = program.instructions().get(instruction).expression();
            if (expression == null) {
                continue;
            }
            for (Source operand : expression.operands()) {
                if (operand.kind() == Source.Kind.INPUT
                        && !taken[operand.index()]
                        && isGivenOnce(context.node(), operand.index())
                        && shapes.of(operand).elements()
                                == shapes.result(instruction).elements()
                        && isLastRead(instruction, shapes.of(operand).elements(), last)) {
                    taken[operand.index()] = true;
                    context.mayReuse(output, operand.index());
                    break;
                }
            }
        }
    }

    /**
     * Whether nothing of this size is read later, or as a matrix at the same time: two inputs may be one memory under
     * two shapes.
     */
    private boolean isLastRead(int instruction, long elements, int[] last) {
        for (int input = 0; input < last.length; input++) {
            boolean late = last[input] > instruction
                    || (last[input] == instruction && readsAsMatrix(instruction, Source.input(input)));
            if (late && shapes.of(Source.input(input)).elements() == elements) {
                return false;
            }
        }
        return true;
    }

    private static boolean isGivenOnce(Node node, int input) {
        return Collections.frequency(node.inputs(), node.input(input)) == 1;
    }

    private boolean readsAsMatrix(int instruction, Source source) {
        return program.instructions().get(instruction) instanceof SimdProgram.Product product
                && product.x().equals(source);
    }

    private void product(int index, SimdProgram.Product product, List<BoundInstruction> bound) {
        Source bias = product.bias();
        var matrices = new ProductKernel.Matrices(
                product.k(),
                product.n(),
                placeOf(product.x()),
                segments.get(product.segment()),
                bias == null ? null : placeOf(bias));
        long rows = shapes.product(index).elements() / product.n();
        Expression expression = product.expression();
        Place apart = rawProducts[index];
        if (expression == null) {
            bound.add(new BoundInstruction.Product(products, matrices, rows, results[index], null));
        } else if (apart == null) {
            BoundExpression behind = expression(index, expression, products.freeSlots());
            bound.add(new BoundInstruction.Product(products, matrices, rows, results[index], behind));
        } else {
            bound.add(new BoundInstruction.Product(products, matrices, rows, apart, null));
            bound.add(elementwise(index, expression, ALL_SLOTS));
        }
    }

    private BoundInstruction elementwise(int index, Expression expression, int[] slots) {
        long elements = shapes.result(index).elements();
        int cost = expression.steps().size();
        return new BoundInstruction.Elementwise(expression(index, expression, slots), elements, cost, results[index]);
    }

    private BoundExpression expression(int index, Expression expression, int[] slots) {
        var operandShapes = new ArrayList<Shape>();
        var places = new ArrayList<@Nullable Place>();
        for (Source operand : expression.operands()) {
            boolean product = operand.equals(Source.PRODUCT);
            operandShapes.add(product ? shapes.product(index) : shapes.of(operand));
            places.add(product ? rawProducts[index] : placeOf(operand));
        }
        return new BoundExpression(expression, operandShapes, places, shapes.result(index), slots);
    }

    private Place placeOf(Source source) {
        return switch (source.kind()) {
            case INPUT -> Place.input(source.index());
            case RESULT -> results[source.index()];
            case CONSTANT -> {
                SimdProgram.Constant constant = program.constants().get(source.index());
                yield Place.constant(segments.get(constant.segment()), constant.offset());
            }
            case PRODUCT -> throw new IllegalArgumentException("a product has a place per instruction, if any");
        };
    }
}
