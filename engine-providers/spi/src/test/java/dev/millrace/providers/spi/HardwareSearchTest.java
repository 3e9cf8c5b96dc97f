package dev.millrace.providers.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.device.DeviceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HardwareSearchTest {
    @TempDir
    Path pci;

    private void device(String address, String code, String vendor, String device) throws IOException {
        Path folder = Files.createDirectory(pci.resolve(address));
        Files.writeString(folder.resolve("class"), code + "\n");
        Files.writeString(folder.resolve("vendor"), vendor + "\n");
        Files.writeString(folder.resolve("device"), device + "\n");
    }

    @Test
    void graphicsAndNeuralProcessorsAreFoundByTheirClasses() throws IOException {
        device("0000:00:00.0", "0x060000", "0x8086", "0x0d57");
        device("0000:00:02.0", "0x030000", "0x8086", "0x7d55");
        device("0000:00:0b.0", "0x120000", "0x8086", "0x7d1d");
        device("0000:01:00.0", "0x030000", "0x10de", "0x2684");
        device("0000:00:05.0", "0x030200", "0x10de", "0x2335");
        device("0000:02:00.0", "0x020000", "0x1af4", "0x1041");
        device("0000:03:00.0", "0x120000", "0xabcd", "0x0001");

        assertThat(HardwareSearch.in(pci))
                .containsExactly(
                        gpu("0000:00:02.0", 0x8086, "Intel", 0x7d55, "0"),
                        gpu("0000:00:05.0", 0x10de, "NVIDIA", 0x2335, "1"),
                        npu("0000:00:0b.0", 0x8086, "Intel", 0x7d1d),
                        gpu("0000:01:00.0", 0x10de, "NVIDIA", 0x2684, "1"),
                        npu("0000:03:00.0", 0xabcd, "vendor abcd", 1));
    }

    private static HardwareDevice gpu(String address, int vendor, String name, int device, String discrete) {
        return new HardwareDevice(
                DeviceType.GPU,
                vendor,
                name,
                device,
                Map.of(HardwareDevice.PCI_ADDRESS, address, HardwareDevice.DISCRETE, discrete));
    }

    private static HardwareDevice npu(String address, int vendor, String name, int device) {
        return new HardwareDevice(DeviceType.NPU, vendor, name, device, Map.of(HardwareDevice.PCI_ADDRESS, address));
    }

    @Test
    void whatCannotBeReadIsLeftOut() throws IOException {
        Files.createDirectory(pci.resolve("0000:00:01.0"));
        device("0000:00:02.0", "graphics", "0x8086", "0x7d55");

        assertThat(HardwareSearch.in(pci)).isEmpty();
        assertThat(HardwareSearch.in(pci.resolve("gone"))).isEmpty();
        assertThat(HardwareDevice.ofThisMachine().getFirst()).isEqualTo(HardwareDevice.hostCpu());
    }
}
