package ai.onnxruntime;

import java.util.Map;

/** A piece of hardware that a provider can use. */
public final class OrtHardwareDevice {
    private final OrtHardwareDeviceType type;
    private final int vendorId;
    private final String vendor;
    private final int deviceId;
    private final Map<String, String> metadata;

    OrtHardwareDevice(
            OrtHardwareDeviceType type, int vendorId, String vendor, int deviceId, Map<String, String> metadata) {
        this.type = type;
        this.vendorId = vendorId;
        this.vendor = vendor;
        this.deviceId = deviceId;
        this.metadata = metadata;
    }

    public OrtHardwareDeviceType getType() {
        return type;
    }

    public int getVendorId() {
        return vendorId;
    }

    public int getDeviceId() {
        return deviceId;
    }

    public Map<String, String> getMetadata() {
        return metadata;
    }

    public String getVendor() {
        return vendor;
    }

    @Override
    public String toString() {
        return "OrtHardwareDevice{type=" + type + ", vendorId=" + vendorId + ", vendor='" + vendor + "', deviceId="
                + deviceId + ", metadata=" + metadata + "}";
    }

    /** The kinds of hardware. */
    public enum OrtHardwareDeviceType {
        CPU(0),
        GPU(1),
        NPU(2);

        private final int value;

        OrtHardwareDeviceType(int value) {
            this.value = value;
        }

        public int getValue() {
            return value;
        }

        /** Returns the kind with this number, {@code CPU} if there is none. */
        public static OrtHardwareDeviceType mapFromInt(int value) {
            return value > 0 && value < values().length ? values()[value] : CPU;
        }
    }
}
