package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.Device.DataTransfer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import java.util.List;

/** The copies of a simulated device. They read their source when they complete, and write then. */
final class SimulatedTransfer implements DataTransfer {
    private final SimulatedDevice device;
    private final boolean reachesOthers;

    /** @param reachesOthers whether it copies between this device and others */
    SimulatedTransfer(SimulatedDevice device, boolean reachesOthers) {
        this.device = device;
        this.reachesOthers = reachesOthers;
    }

    @Override
    public boolean canCopy(MemoryPlace from, MemoryPlace to) {
        boolean isUpload = !from.device().isAsynchronous();
        boolean isDownload = !to.device().isAsynchronous();
        if (isUpload || isDownload) {
            return isUpload != isDownload && (isUpload ? to : from).device() == device;
        }
        return to.kind() != MemoryKind.READ_ONLY
                && (from.device() == device || to.device() == device)
                && canReach(from.device())
                && canReach(to.device());
    }

    private boolean canReach(Device other) {
        return other == device || reachesOthers && other instanceof SimulatedDevice;
    }

    @Override
    public void copy(List<Copy> batch, DeviceStream stream) {
        if (!(stream instanceof SimulatedStream simulated) || stream.device() != device) {
            throw new IllegalArgumentException("a copy of " + device + " on " + stream);
        }
        for (Copy copy : batch) {
            switch (copy) {
                case Copy.Upload upload ->
                    submit(
                            "upload",
                            MemoryPlace.HOST,
                            DeviceOperand.ofHost(upload.from()),
                            place(upload.to()),
                            DeviceOperand.of(upload.to()),
                            simulated);
                case Copy.Download download ->
                    submit(
                            "download",
                            place(download.from()),
                            DeviceOperand.of(download.from()),
                            MemoryPlace.HOST,
                            DeviceOperand.ofHost(download.to()),
                            simulated);
                case Copy.Transfer transfer ->
                    submit(
                            "transfer",
                            place(transfer.from()),
                            DeviceOperand.of(transfer.from()),
                            place(transfer.to()),
                            DeviceOperand.of(transfer.to()),
                            simulated);
            }
        }
    }

    private static MemoryPlace place(DeviceRange range) {
        return new MemoryPlace(range.buffer().device(), range.buffer().kind());
    }

    private void submit(
            String name,
            MemoryPlace from,
            DeviceOperand source,
            MemoryPlace to,
            DeviceOperand target,
            SimulatedStream stream) {
        if (!canCopy(from, to)) {
            throw new IllegalArgumentException(device + " cannot copy from " + from + " to " + to);
        }
        stream.copy(name + " of " + source.text() + " to " + target.text(), source, target);
    }
}
