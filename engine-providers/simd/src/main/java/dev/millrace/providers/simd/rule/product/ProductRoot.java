package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.gemm.Batch;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A product of matrices, deferred so that its consumers can be fused as its epilogue. */
public final class ProductRoot implements FusionRoot {
    private static final long ALIGNMENT = 64;

    private final PartitionCompiler lowering;
    private final ValueState a;
    private final ValueState b;
    /** The content of {@code b}, where it is the same in every run. */
    private final @Nullable StoredFloats weights;

    private final boolean transA;
    private final boolean transB;
    private final Shape out;
    private final long m;
    private final long n;
    private final long k;
    /** The axes before the last two that number separate products; none where all rows belong to one product. */
    private final Shape batch;

    private ProductRoot(
            PartitionCompiler lowering,
            ValueState a,
            ValueState b,
            @Nullable StoredFloats weights,
            boolean transA,
            boolean transB,
            Shape out,
            long m,
            long n,
            long k,
            Shape batch) {
        this.lowering = lowering;
        this.a = a;
        this.b = b;
        this.weights = weights;
        this.transA = transA;
        this.transB = transB;
        this.out = out;
        this.m = m;
        this.n = n;
        this.k = k;
        this.batch = batch;
    }

    /**
     * Returns the product of two values.
     *
     * @return null where kernels do not support the shapes
     */
    public static @Nullable ProductRoot of(
            PartitionCompiler lowering, ValueState a, ValueState b, boolean transA, boolean transB, Shape out) {
        Tensor known = b.known();
        return of(
                lowering,
                a,
                b,
                known == null ? null : new StoredFloats(lowering.environment(), known),
                transA,
                transB,
                out);
    }

    /** Returns the product of the first two inputs of a node. */
    static @Nullable ProductRoot of(LoweringContext op, boolean transA, boolean transB) {
        Shape out = op.out().shape();
        return of(op.lowering(), op.in(0), op.in(1), StoredFloats.of(op, 1), transA, transB, out);
    }

    private static @Nullable ProductRoot of(
            PartitionCompiler lowering,
            ValueState a,
            ValueState b,
            @Nullable StoredFloats weights,
            boolean transA,
            boolean transB,
            Shape out) {
        Shape left = asMatrix(a.shape(), true);
        Shape right = asMatrix(b.shape(), false);
        long k = left.dimAt(transA ? -2 : -1);
        long n = right.dimAt(transB ? -2 : -1);
        if (k != right.dimAt(transB ? -1 : -2) || k == 0 || out.elements() == 0) {
            return null;
        }
        boolean oneMatrix = right.rank() == 2 && !transA;
        Shape all = Shape.broadcast(outer(left), outer(right));
        long m = oneMatrix ? left.elements() / k : left.dimAt(transA ? -1 : -2);
        return new ProductRoot(lowering, a, b, weights, transA, transB, out, m, n, k, oneMatrix ? Shape.SCALAR : all);
    }

    private static Shape outer(Shape shape) {
        long[] dims = new long[shape.rank() - 2];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = shape.dim(i);
        }
        return Shape.of(dims);
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(ValueState operand, ValueState result) {
        return operand.isFloat() && result.isFloat() && kind(operand) != null;
    }

    /** Returns how an operand is broadcast to the elements of the result; null where it is not supported. */
    private @Nullable EpilogueOperand kind(ValueState operand) {
        Shape shape = operand.shape();
        if (operand.elements() == 1) {
            return EpilogueOperand.SINGLE;
        }
        boolean isColumn = shape.rank() > 0 && shape.dimAt(-1) == n && operand.elements() == n && out.dimAt(-1) == n;
        if (isColumn) {
            return EpilogueOperand.COLUMN;
        }
        if (batch.elements() > 1 || !shape.equals(out) && shape.rank() != out.rank()) {
            return null;
        }
        if (shape.equals(out)) {
            return EpilogueOperand.ELEMENT;
        }
        boolean isRow = shape.dimAt(-1) == 1 && shape.equals(out.with(out.rank() - 1, 1));
        return isRow ? EpilogueOperand.ROW : null;
    }

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (!result.isFloat() || after != null && after.kind() != Kind.FLOAT) {
            return false;
        }
        View left = matrix(a, asMatrix(a.shape(), true), batch.rank() == 0 && !transA);
        var views = new ArrayList<View>();
        var kinds = new ArrayList<EpilogueOperand>();
        for (ValueState operand : operands) {
            kinds.add(kind(operand));
            views.add(lowering.dense(operand));
        }
        Epilogue epilogue = after == null ? Epilogue.NONE : Epilogue.of(after, kinds);
        boolean packs = weights != null && b.shape().rank() == 2;
        View right = packs && weights != null ? packed(weights) : matrix(b, asMatrix(b.shape(), false), false);
        View to = lowering.allocate(result);
        var reads = new ArrayList<>(views);
        reads.add(left);
        reads.add(right);
        Gemm gemm = lowering.environment().gemm();
        int width = lowering.width();
        lowering.add(ProgramStep.of(() -> "gemm " + epilogueText(after), result.name())
                .reading(reads)
                .writing(to)
                .work(batch.elements() * m * n * k)
                .repeating()
                .calling(memory -> {
                    GemmProduct product = product(memory, left, right, packs, epilogue, views, to);
                    MemorySegment own = OwnMemory.allocate(gemm.ownBytes(k, packs, width), ALIGNMENT);
                    return gemm.bind(product, own, width)::run;
                }));
        return true;
    }

    private String epilogueText(@Nullable Expr after) {
        return m + "x" + k + "x" + n + (after == null ? "" : " then " + ExprText.print(after));
    }

    private GemmProduct product(
            RunMemory memory, View left, View right, boolean packs, Epilogue epilogue, List<View> views, View to) {
        Matrix second = packs ? Matrix.packed(memory.segment(right)) : matrix(memory.segment(right), right, transB);
        Matrix[] operands = new Matrix[views.size()];
        for (int i = 0; i < operands.length; i++) {
            boolean isElement = epilogue.operands().get(i) == EpilogueOperand.ELEMENT;
            operands[i] = Matrix.rows(memory.segment(views.get(i)), isElement ? n : 0);
        }
        return GemmProduct.builder(m, n, k, matrix(memory.segment(left), left, transA), second)
                .writing(Matrix.rows(memory.segment(to), n))
                .then(epilogue, operands)
                .batch(batches(left, right, packs))
                .build();
    }

    private Batch batches(View left, View right, boolean packs) {
        Batch all = Batch.ONE;
        long distance = m * n;
        for (int i = batch.rank() - 1; i >= 0; i--) {
            long count = batch.dim(i);
            long ofA = distance(left, batch.rank() - i);
            long ofB = packs ? 0 : distance(right, batch.rank() - i);
            if (count > 1) {
                all = all == Batch.ONE ? Batch.of(count, ofA, ofB, distance) : all.times(count, ofA, ofB, distance);
            }
            distance *= count;
        }
        return all;
    }

    /** Returns the distance from one product to the next along an axis before the last two, counted from them. */
    private static long distance(View view, int fromMatrix) {
        int axis = view.shape().rank() - 2 - fromMatrix;
        return axis < 0 || view.shape().dim(axis) == 1 ? 0 : view.strides()[axis];
    }

    private static Matrix matrix(MemorySegment memory, View view, boolean transposed) {
        int rank = view.shape().rank();
        long row = view.strides()[rank - 2];
        long column = view.strides()[rank - 1];
        boolean rowsTogether = isTogether(view, rank - 1);
        if (rowsTogether) {
            long stride = view.shape().dim(rank - 2) == 1 ? view.shape().dim(rank - 1) : row;
            return transposed ? Matrix.columns(memory, stride) : Matrix.rows(memory, stride);
        }
        long stride = view.shape().dim(rank - 1) == 1 ? view.shape().dim(rank - 2) : column;
        return transposed ? Matrix.rows(memory, stride) : Matrix.columns(memory, stride);
    }

    /** Whether the elements along an axis are contiguous, and the rows of the other axis do not overlap. */
    private static boolean isTogether(View view, int axis) {
        int rank = view.shape().rank();
        int other = 2 * rank - 3 - axis;
        boolean sideBySide = view.shape().dim(axis) == 1 || view.strides()[axis] == 1;
        return sideBySide
                && (view.shape().dim(other) == 1
                        || view.strides()[other] >= view.shape().dim(axis));
    }

    /** Returns an operand as a matrix, or a batch of them, at strides that kernels read. */
    private View matrix(ValueState cell, Shape shape, boolean collapsed) {
        Shape wanted = collapsed ? Shape.of(shape.elements() / k, k) : shape;
        View view = lowering.view(cell).reshaped(wanted);
        if (view != null && isReadable(view)) {
            return view;
        }
        View dense = lowering.dense(cell);
        return View.dense(dense.storage(), dense.type(), wanted, dense.offset());
    }

    private static boolean isReadable(View view) {
        int rank = view.shape().rank();
        for (int i = 0; i < rank - 2; i++) {
            if (view.strides()[i] < 0) {
                return false;
            }
        }
        return isTogether(view, rank - 1) || isTogether(view, rank - 2);
    }

    private View packed(StoredFloats floats) {
        Gemm gemm = lowering.environment().gemm();
        String name = gemm.packedLayout() + (transB ? " of the transpose" : "");
        Layout layout = Layout.forAllShapes(name, gemm.packedBytes(k, n));
        MemorySegment memory = lowering.environment().weights().packed(List.of(floats.tensor()), layout, target -> {
            MemorySegment source = floats.floats();
            if (transB) {
                gemm.packTransposed(source, k, k, n, target);
            } else {
                gemm.pack(source, n, k, n, target);
            }
        });
        return View.dense(Storage.constant(memory), ElementType.FLOAT, Shape.of(memory.byteSize() / Float.BYTES));
    }

    /** A shape with an axis of one element at its front or its end. */
    private static Shape asMatrix(Shape shape, boolean left) {
        if (shape.rank() > 1) {
            return shape;
        }
        return left ? Shape.of(1, shape.dim(0)) : Shape.of(shape.dim(0), 1);
    }
}
