package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** The shapes of everything in a program, given those of its inputs. */
final class ProgramShapes {
    private final SimdProgram program;
    private final List<Shape> inputs;
    private final List<Shape> results = new ArrayList<>();
    private final List<Shape> products = new ArrayList<>();

    /** Throws where the inputs do not fit the program. */
    ProgramShapes(SimdProgram program, List<Shape> inputs) {
        this.program = program;
        this.inputs = inputs;
        for (SimdProgram.Instruction instruction : program.instructions()) {
            Shape product = instruction instanceof SimdProgram.Product p ? productShape(of(p.x()), p) : Shape.SCALAR;
            products.add(product);
            Expression expression = instruction.expression();
            results.add(expression == null ? product : broadcast(expression, product));
        }
    }

    private static Shape productShape(Shape x, SimdProgram.Product product) {
        if (x.rank() == 0 || x.dimAt(-1) != product.k()) {
            throw EngineException.invalidArgument("a matrix of shape " + x + " cannot be multiplied by weights of "
                    + product.k() + " rows; its last axis has to be " + product.k());
        }
        return x.with(x.rank() - 1, product.n());
    }

    private Shape broadcast(Expression expression, Shape product) {
        Shape shape = Shape.SCALAR;
        for (Source operand : expression.operands()) {
            shape = Shape.broadcast(shape, operand.equals(Source.PRODUCT) ? product : of(operand));
        }
        return shape;
    }

    /** The shape of the value that {@code instruction} leaves. */
    Shape result(int instruction) {
        return results.get(instruction);
    }

    /** The shape of a product before the expression that follows it. */
    Shape product(int instruction) {
        return products.get(instruction);
    }

    Shape of(Source source) {
        return switch (source.kind()) {
            case INPUT -> inputs.get(source.index());
            case CONSTANT -> program.constants().get(source.index()).shape();
            case RESULT -> results.get(source.index());
            case PRODUCT -> throw new IllegalArgumentException("the product has a shape per instruction");
        };
    }
}
