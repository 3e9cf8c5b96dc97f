package dev.millrace.kernels.resize;

/**
 * The rule of interpolation, in the words of ONNX.
 *
 * @param cubic the coefficient of cubic convolution (Keys, 1981)
 * @param excludeOutside whether elements outside of the data have no weight; else they have the value of the nearest
 *     one
 * @param antialias whether filters are as wide as the step from one result to the next
 */
public record ResizeRule(
        Mode mode, Coordinates coordinates, Rounding rounding, float cubic, boolean excludeOutside, boolean antialias) {
    /** The method of interpolation. */
    public enum Mode {
        NEAREST,
        LINEAR,
        CUBIC
    }

    /** The mapping of the positions of results to positions in the data. */
    public enum Coordinates {
        HALF_PIXEL,
        HALF_PIXEL_SYMMETRIC,
        PYTORCH_HALF_PIXEL,
        ALIGN_CORNERS,
        ASYMMETRIC,
        TF_CROP_AND_RESIZE,
        TF_HALF_PIXEL_FOR_NN
    }

    /** The choice of the nearest element. */
    public enum Rounding {
        ROUND_PREFER_FLOOR,
        ROUND_PREFER_CEIL,
        FLOOR,
        CEIL
    }

    /** Returns the rule with the default values of ONNX. */
    public static ResizeRule of(Mode mode) {
        return new ResizeRule(mode, Coordinates.HALF_PIXEL, Rounding.ROUND_PREFER_FLOOR, -0.75f, false, false);
    }

    /** Returns this rule with other coordinates. */
    public ResizeRule with(Coordinates other) {
        return new ResizeRule(mode, other, rounding, cubic, excludeOutside, antialias);
    }

    /** Returns this rule with another choice of the nearest element. */
    public ResizeRule with(Rounding other) {
        return new ResizeRule(mode, coordinates, other, cubic, excludeOutside, antialias);
    }
}
