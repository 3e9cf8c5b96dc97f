package dev.millrace.session.runtime;

import dev.millrace.scheduler.run.DeviceServices;
import dev.millrace.session.prepare.Factories;

/** Closes the streams of devices and providers' factories once the engine and the last of its sessions are closed. */
final class FactoryUse {
    private final Factories factories;
    private final DeviceServices devices;
    private int users = 1;

    FactoryUse(Factories factories, DeviceServices devices) {
        this.factories = factories;
        this.devices = devices;
    }

    synchronized void begin() {
        users++;
    }

    void end() {
        if (isLast()) {
            devices.close();
            factories.close();
        }
    }

    private synchronized boolean isLast() {
        users--;
        return users == 0;
    }
}
