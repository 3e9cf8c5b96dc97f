package dev.millrace.kernels.conv.nchw;

import dev.millrace.kernels.image.Axis;

/**
 * Outputs along one axis that see the input in the same way: all of a convolution, those of one remainder of a transposed
 * one.
 *
 * @param axis the window of these outputs
 * @param first the place of the first one
 * @param step from one to the next
 * @param firstTap which tap of the weights the first of the window is
 * @param tapStep from tap to tap among the weights; 0 where no tap has a part in these outputs
 */
public record PlanePart(Axis axis, int first, int step, int firstTap, int tapStep) {
    /** All outputs of a window that slides. */
    public static PlanePart whole(Axis axis) {
        return new PlanePart(axis, 0, 1, 0, 1);
    }

    int taps() {
        return tapStep == 0 ? 0 : axis.taps();
    }

    int tap(int tap) {
        return firstTap + tap * tapStep;
    }

    int firstTap(int output) {
        return tapStep == 0 ? 0 : axis.firstTap(output);
    }

    int endTap(int output) {
        return tapStep == 0 ? 0 : axis.endTap(output);
    }

    /** The input that the first tap reads which reads one. */
    int firstInput(int output) {
        return axis.start(output) + firstTap(output) * axis.dilation();
    }

    /** Inputs from the first tap to the last. */
    int reach() {
        return taps() == 0 ? 0 : (taps() - 1) * axis.dilation() + 1;
    }
}
