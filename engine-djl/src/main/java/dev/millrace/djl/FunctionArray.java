package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;

/** The functions of an array of DJL, element by element. Functions of whole numbers are floating. */
abstract class FunctionArray extends ArithmeticArray {
    FunctionArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, shape, type, id);
    }

    @Override
    public NDArray isNaN() {
        return of(ArrayMath.map(data(), DataType.BOOLEAN, x -> Double.isNaN(x) ? 1 : 0));
    }

    @Override
    public NDArray isInfinite() {
        return of(ArrayMath.map(data(), DataType.BOOLEAN, x -> Double.isInfinite(x) ? 1 : 0));
    }

    @Override
    public NDArray sqrt() {
        return mapFloats(Math::sqrt);
    }

    @Override
    public NDArray cbrt() {
        return mapFloats(Math::cbrt);
    }

    @Override
    public NDArray exp() {
        return mapFloats(Math::exp);
    }

    @Override
    public NDArray log() {
        return mapFloats(Math::log);
    }

    @Override
    public NDArray log10() {
        return mapFloats(Math::log10);
    }

    @Override
    public NDArray log2() {
        return mapFloats(x -> Math.log(x) / Math.log(2));
    }

    @Override
    public NDArray sin() {
        return mapFloats(Math::sin);
    }

    @Override
    public NDArray cos() {
        return mapFloats(Math::cos);
    }

    @Override
    public NDArray tan() {
        return mapFloats(Math::tan);
    }

    @Override
    public NDArray asin() {
        return mapFloats(Math::asin);
    }

    @Override
    public NDArray acos() {
        return mapFloats(Math::acos);
    }

    @Override
    public NDArray atan() {
        return mapFloats(Math::atan);
    }

    @Override
    public NDArray atan2(NDArray other) {
        return floatsWith(other, Math::atan2);
    }

    @Override
    public NDArray sinh() {
        return mapFloats(Math::sinh);
    }

    @Override
    public NDArray cosh() {
        return mapFloats(Math::cosh);
    }

    @Override
    public NDArray tanh() {
        return mapFloats(Math::tanh);
    }

    @Override
    public NDArray asinh() {
        return mapFloats(SpecialFunctions::asinh);
    }

    @Override
    public NDArray acosh() {
        return mapFloats(x -> Math.log(x + Math.sqrt(x - 1) * Math.sqrt(x + 1)));
    }

    @Override
    public NDArray atanh() {
        return mapFloats(x -> (Math.log1p(x) - Math.log1p(-x)) / 2);
    }

    @Override
    public NDArray toDegrees() {
        return mapFloats(Math::toDegrees);
    }

    @Override
    public NDArray toRadians() {
        return mapFloats(Math::toRadians);
    }

    @Override
    public NDArray erf() {
        return mapFloats(SpecialFunctions::erf);
    }

    @Override
    public NDArray erfinv() {
        return mapFloats(SpecialFunctions::inverseErf);
    }

    @Override
    public NDArray gammaln() {
        return mapFloats(SpecialFunctions::logGamma);
    }

    /** Multiplies by the logarithms of another array; a product with zero is zero. */
    @Override
    public NDArray xlogy(NDArray other) {
        return floatsWith(other, (x, y) -> x == 0 && !Double.isNaN(y) ? 0 : x * Math.log(y));
    }
}
