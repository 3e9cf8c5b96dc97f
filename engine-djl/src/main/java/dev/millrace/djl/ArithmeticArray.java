package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** The arithmetic of an array of DJL, element by element. */
abstract class ArithmeticArray extends ReducingArray {
    private static final double TRUE = 1;

    ArithmeticArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, shape, type, id);
    }

    ReducingArray mapFloats(DoubleUnaryOperator function) {
        return of(ArrayMath.map(data(), ArrayMath.floating(getDataType()), function));
    }

    private NDArray with(Number number, DoubleBinaryOperator function) {
        double value = number.doubleValue();
        DataType type = ArrayMath.withNumber(getDataType(), number);
        return of(ArrayMath.map(data(), type, x -> function.applyAsDouble(x, value)));
    }

    private NDArray with(NDArray other, DoubleBinaryOperator function) {
        DataType type = ArrayMath.promoted(getDataType(), other.getDataType());
        return of(ArrayMath.zip(data(), like(other).data(), type, function));
    }

    private interface Test {
        boolean holds(double left, double right);
    }

    private NDArray test(Number number, Test test) {
        double value = number.doubleValue();
        return of(ArrayMath.map(data(), DataType.BOOLEAN, x -> test.holds(x, value) ? TRUE : 0));
    }

    private NDArray test(NDArray other, Test test) {
        return of(ArrayMath.zip(data(), like(other).data(), DataType.BOOLEAN, (x, y) -> test.holds(x, y) ? TRUE : 0));
    }

    /** Writes a result over the elements, and closes it. Views of the array see it, unless the type of the elements changes. */
    NDArray replaced(NDArray result) {
        if (!result.getShape().equals(getShape())) {
            throw new IllegalArgumentException(
                    "a result of the shape " + result.getShape() + " does not fit the array " + getShape());
        }
        if (result.getDataType() == getDataType()) {
            ArrayData computed = like(result).data();
            writable().bytes().put(0, computed.bytes(), 0, computed.bytes().capacity());
        } else {
            intern(result);
        }
        result.close();
        return this;
    }

    NDArray floatsWith(NDArray other, DoubleBinaryOperator function) {
        DataType type = ArrayMath.floating(ArrayMath.promoted(getDataType(), other.getDataType()));
        return of(ArrayMath.zip(data(), like(other).data(), type, function));
    }

    @Override
    public NDArray eq(Number n) {
        return test(n, (x, y) -> x == y);
    }

    @Override
    public NDArray eq(NDArray other) {
        return test(other, (x, y) -> x == y);
    }

    @Override
    public NDArray neq(Number n) {
        return test(n, (x, y) -> x != y);
    }

    @Override
    public NDArray neq(NDArray other) {
        return test(other, (x, y) -> x != y);
    }

    @Override
    public NDArray gt(Number n) {
        return test(n, (x, y) -> x > y);
    }

    @Override
    public NDArray gt(NDArray other) {
        return test(other, (x, y) -> x > y);
    }

    @Override
    public NDArray gte(Number n) {
        return test(n, (x, y) -> x >= y);
    }

    @Override
    public NDArray gte(NDArray other) {
        return test(other, (x, y) -> x >= y);
    }

    @Override
    public NDArray lt(Number n) {
        return test(n, (x, y) -> x < y);
    }

    @Override
    public NDArray lt(NDArray other) {
        return test(other, (x, y) -> x < y);
    }

    @Override
    public NDArray lte(Number n) {
        return test(n, (x, y) -> x <= y);
    }

    @Override
    public NDArray lte(NDArray other) {
        return test(other, (x, y) -> x <= y);
    }

    @Override
    public NDArray logicalAnd(NDArray other) {
        return test(other, (x, y) -> x != 0 && y != 0);
    }

    @Override
    public NDArray logicalOr(NDArray other) {
        return test(other, (x, y) -> x != 0 || y != 0);
    }

    @Override
    public NDArray logicalXor(NDArray other) {
        return test(other, (x, y) -> x != 0 ^ y != 0);
    }

    @Override
    public NDArray logicalNot() {
        return test(0, (x, y) -> x == y);
    }

    @Override
    public NDArray add(Number n) {
        return with(n, Double::sum);
    }

    @Override
    public NDArray add(NDArray other) {
        return with(other, Double::sum);
    }

    @Override
    public NDArray sub(Number n) {
        return with(n, (x, y) -> x - y);
    }

    @Override
    public NDArray sub(NDArray other) {
        return with(other, (x, y) -> x - y);
    }

    @Override
    public NDArray mul(Number n) {
        return with(n, (x, y) -> x * y);
    }

    @Override
    public NDArray mul(NDArray other) {
        return with(other, (x, y) -> x * y);
    }

    @Override
    public NDArray div(Number n) {
        return with(n.doubleValue(), (x, y) -> x / y);
    }

    @Override
    public NDArray div(NDArray other) {
        return floatsWith(other, (x, y) -> x / y);
    }

    @Override
    public NDArray mod(Number n) {
        return with(n, SpecialFunctions::modulo);
    }

    @Override
    public NDArray mod(NDArray other) {
        return with(other, SpecialFunctions::modulo);
    }

    @Override
    public NDArray pow(Number n) {
        return with(n, Math::pow);
    }

    @Override
    public NDArray pow(NDArray other) {
        return with(other, Math::pow);
    }

    @Override
    public NDArray maximum(Number n) {
        return with(n, Math::max);
    }

    @Override
    public NDArray maximum(NDArray other) {
        return with(other, Math::max);
    }

    @Override
    public NDArray minimum(Number n) {
        return with(n, Math::min);
    }

    @Override
    public NDArray minimum(NDArray other) {
        return with(other, Math::min);
    }

    @Override
    public NDArray addi(Number n) {
        return replaced(add(n));
    }

    @Override
    public NDArray addi(NDArray other) {
        return replaced(add(other));
    }

    @Override
    public NDArray subi(Number n) {
        return replaced(sub(n));
    }

    @Override
    public NDArray subi(NDArray other) {
        return replaced(sub(other));
    }

    @Override
    public NDArray muli(Number n) {
        return replaced(mul(n));
    }

    @Override
    public NDArray muli(NDArray other) {
        return replaced(mul(other));
    }

    @Override
    public NDArray divi(Number n) {
        return replaced(div(n));
    }

    @Override
    public NDArray divi(NDArray other) {
        return replaced(div(other));
    }

    @Override
    public NDArray modi(Number n) {
        return replaced(mod(n));
    }

    @Override
    public NDArray modi(NDArray other) {
        return replaced(mod(other));
    }

    @Override
    public NDArray powi(Number n) {
        return replaced(pow(n));
    }

    @Override
    public NDArray powi(NDArray other) {
        return replaced(pow(other));
    }

    @Override
    public NDArray negi() {
        return replaced(neg());
    }

    @Override
    public NDArray signi() {
        return replaced(sign());
    }

    @Override
    public NDArray sign() {
        return of(ArrayMath.map(data(), getDataType(), Math::signum));
    }

    @Override
    public NDArray neg() {
        return of(ArrayMath.map(data(), getDataType(), x -> -x));
    }

    @Override
    public NDArray abs() {
        return of(ArrayMath.map(data(), getDataType(), Math::abs));
    }

    @Override
    public NDArray square() {
        return of(ArrayMath.map(data(), getDataType(), x -> x * x));
    }

    @Override
    public NDArray floor() {
        return of(ArrayMath.map(data(), getDataType(), Math::floor));
    }

    @Override
    public NDArray ceil() {
        return of(ArrayMath.map(data(), getDataType(), Math::ceil));
    }

    @Override
    public NDArray round() {
        return of(ArrayMath.map(data(), getDataType(), Math::rint));
    }

    @Override
    public NDArray trunc() {
        return of(ArrayMath.map(data(), getDataType(), x -> x < 0 ? Math.ceil(x) : Math.floor(x)));
    }

    @Override
    public NDArray clip(Number min, Number max) {
        double low = min.doubleValue();
        double high = max.doubleValue();
        DataType type = ArrayMath.withNumber(ArrayMath.withNumber(getDataType(), min), max);
        return of(ArrayMath.map(data(), type, x -> Math.min(high, Math.max(low, x))));
    }
}
