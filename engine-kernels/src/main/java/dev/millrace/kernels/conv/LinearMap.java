package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A product with a small constant matrix, as numbers and as steps. */
record LinearMap(List<List<Double>> rows) {
    static LinearMap of(double[][] matrix) {
        return new LinearMap(Arrays.stream(matrix)
                .map(row -> Arrays.stream(row).boxed().toList())
                .toList());
    }

    /** Products with many vectors at once: of each, element k lies at place k of the arrays. */
    void apply(double[][] x, double[][] result) {
        for (int row = 0; row < result.length; row++) {
            Arrays.fill(result[row], 0);
            for (int column = 0; column < x.length; column++) {
                if (at(row, column) != 0) {
                    addTimes(at(row, column), x[column], result[row]);
                }
            }
        }
    }

    /** A loop of its own: it is compiled within milliseconds. */
    private static void addTimes(double factor, double[] x, double[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += factor * x[i];
        }
    }

    private double at(int row, int column) {
        return rows.get(row).get(column);
    }

    /**
     * The steps for vectors, null ones being zero; results are null where they are zero. Where two rows differ only in
     * the signs of their odd columns, and where two columns differ only in the signs of their odd rows, what they share
     * is computed once.
     */
    @Nullable
    VectorVar[] write(ProgramBuilder builder, @Nullable VectorVar[] x) {
        @Nullable VectorVar[] result = new @Nullable VectorVar[rows.size()];
        List<Term> terms = terms(builder, x);
        for (int row = 0; row < result.length; row++) {
            if (row + 1 < result.length && terms.stream().noneMatch(term -> term.column() < 0) && mirrored(row)) {
                VectorVar even = sum(builder, ofParity(terms, 0), row);
                VectorVar odd = sum(builder, ofParity(terms, 1), row);
                result[row] = combine(builder, BinaryOp.ADD, even, odd);
                result[++row] = combine(builder, BinaryOp.SUB, even, odd);
            } else {
                result[row] = sum(builder, terms, row);
            }
        }
        return result;
    }

    /**
     * A vector and its factors: those of a column, or, if the column is negative, those of column {@code -column} in
     * the even rows, or, plus the width, in the odd ones.
     */
    private record Term(VectorVar value, int column) {}

    private int width() {
        return rows.getFirst().size();
    }

    private double factor(Term term, int row) {
        if (term.column() >= 0) {
            return at(row, term.column());
        }
        int column = -term.column();
        boolean odd = column >= width();
        return odd == (row % 2 == 1) ? at(row, odd ? column - width() : column) : 0;
    }

    private List<Term> terms(ProgramBuilder builder, @Nullable VectorVar[] x) {
        List<Term> terms = new ArrayList<>();
        for (int column = 0; column < x.length; column++) {
            VectorVar first = x[column];
            VectorVar second = column + 1 < x.length ? x[column + 1] : null;
            if (first != null && second != null && column > 0 && mirroredColumns(column)) {
                terms.add(new Term(builder.add(first, second), -column));
                terms.add(new Term(builder.sub(first, second), -column - width()));
                column++;
            } else if (first != null) {
                terms.add(new Term(first, column));
            }
        }
        return terms;
    }

    private static List<Term> ofParity(List<Term> terms, int parity) {
        return terms.stream().filter(term -> term.column() % 2 == parity).toList();
    }

    private boolean mirrored(int row) {
        for (int column = 0; column < width(); column++) {
            if (at(row + 1, column) != (column % 2 == 0 ? at(row, column) : -at(row, column))) {
                return false;
            }
        }
        return true;
    }

    private boolean mirroredColumns(int column) {
        for (int row = 0; row < rows.size(); row++) {
            if (at(row, column + 1) != (row % 2 == 0 ? at(row, column) : -at(row, column))) {
                return false;
            }
        }
        return true;
    }

    private @Nullable VectorVar sum(ProgramBuilder builder, List<Term> terms, int row) {
        List<Term> used = new ArrayList<>(
                terms.stream().filter(term -> factor(term, row) != 0).toList());
        used.sort((a, b) -> Boolean.compare(factor(a, row) != 1, factor(b, row) != 1));
        VectorVar sum = null;
        for (Term term : used) {
            sum = plus(builder, sum, term.value(), factor(term, row));
        }
        return sum;
    }

    private static VectorVar plus(ProgramBuilder builder, @Nullable VectorVar sum, VectorVar value, double factor) {
        Constant constant = Constant.of((float) factor);
        if (sum == null) {
            return factor == 1 ? builder.unary(UnaryOp.COPY, value) : builder.mul(value, constant);
        }
        if (factor == 1) {
            return builder.add(sum, value);
        }
        return factor == -1 ? builder.sub(sum, value) : builder.multiplyAdd(value, constant, sum);
    }

    private static @Nullable VectorVar combine(
            ProgramBuilder builder, BinaryOp op, @Nullable VectorVar a, @Nullable VectorVar b) {
        if (b == null) {
            return a;
        }
        if (a == null) {
            return op == BinaryOp.ADD ? b : builder.sub(Constant.ZERO, b);
        }
        return builder.binary(op, a, b);
    }
}
