package dev.millrace.kernels.resize;

/**
 * How elements are found between others, in the words of ONNX.
 *
 * @param cubic the coefficient of cubic interpolation
 * @param excludeOutside whether elements outside of the data have no weight, rather than that of the nearest one
 * @param antialias whether filters are as wide as the step from one result to the next
 */
public record ResizeRule(
        Mode mode, Coordinates coordinates, Rounding rounding, float cubic, boolean excludeOutside, boolean antialias) {
    /** What is between elements. */
    public enum Mode {
        NEAREST,
        LINEAR,
        CUBIC
    }

    /** Where a result is in the data. */
    public enum Coordinates {
        HALF_PIXEL,
        HALF_PIXEL_SYMMETRIC,
        PYTORCH_HALF_PIXEL,
        ALIGN_CORNERS,
        ASYMMETRIC,
        TF_CROP_AND_RESIZE,
        TF_HALF_PIXEL_FOR_NN
    }

    /** Which element is the nearest one. */
    public enum Rounding {
        ROUND_PREFER_FLOOR,
        ROUND_PREFER_CEIL,
        FLOOR,
        CEIL
    }

    /** What ONNX has where nothing is said. */
    public static ResizeRule of(Mode mode) {
        return new ResizeRule(mode, Coordinates.HALF_PIXEL, Rounding.ROUND_PREFER_FLOOR, -0.75f, false, false);
    }

    /** This rule with other coordinates. */
    public ResizeRule with(Coordinates other) {
        return new ResizeRule(mode, other, rounding, cubic, excludeOutside, antialias);
    }

    /** This rule with another nearest element. */
    public ResizeRule with(Rounding other) {
        return new ResizeRule(mode, coordinates, other, cubic, excludeOutside, antialias);
    }
}
