package dev.millrace.scheduler.device;

/** The failure of work that a device was given. */
public final class DeviceFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean lost;

    /** @param lost whether the device does no further work */
    public DeviceFailure(String message, boolean lost) {
        super(message);
        this.lost = lost;
    }

    /** Whether the device is lost: nothing that it was given or is given from now on completes. */
    public boolean isLost() {
        return lost;
    }
}
