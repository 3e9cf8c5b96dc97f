package dev.millrace.cli;

import dev.millrace.graph.PlainText;
import dev.millrace.inspect.JsonText;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.session.Engine;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

/** Lists the devices that providers can drive. */
@Command(
        name = "devices",
        mixinStandardHelpOptions = true,
        description = "Lists the devices that each provider can drive, in the order in which providers are asked.")
final class DevicesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "Print the devices as a JSON object.")
    private boolean json;

    @Mixin
    private LibraryFlag libraries = new LibraryFlag();

    @Override
    public Integer call() {
        List<ProviderDevice> devices;
        try (Engine engine = libraries.registeredWith(Engine.create())) {
            devices = engine.devices();
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(JsonText.object(to -> JsonText.objects(to, "devices", devices, device -> write(device, to))));
        } else {
            devices.forEach(device -> print(device, out));
        }
        out.flush();
        return ExitCode.OK;
    }

    private static void print(ProviderDevice device, PrintWriter out) {
        HardwareDevice hardware = device.hardware();
        out.println(PlainText.line("%-10s %-4s %s".formatted(device.provider(), hardware.type(), hardware.vendor())));
        line("memory", memories(device), out);
        line("hardware", text(hardware.metadata()), out);
        line("metadata", text(device.metadata()), out);
        line("options", text(device.options()), out);
    }

    private static void line(String name, String text, PrintWriter out) {
        if (!text.isEmpty()) {
            out.println(PlainText.line("  %-8s %s".formatted(name, text)));
        }
    }

    private static String memories(ProviderDevice device) {
        return device.memories().stream().map(MemoryKind::name).collect(Collectors.joining(", "));
    }

    private static String text(Map<String, String> entries) {
        return new TreeMap<>(entries)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(", "));
    }

    private static void write(ProviderDevice device, JsonGenerator to) {
        HardwareDevice hardware = device.hardware();
        to.writeStringProperty("provider", device.provider());
        to.writeStringProperty("type", hardware.type().name());
        to.writeStringProperty("vendor", hardware.vendor());
        to.writeNumberProperty("vendorId", hardware.vendorId());
        to.writeNumberProperty("deviceId", hardware.deviceId());
        JsonText.array(to, "memories", device.memories(), kind -> to.writeString(kind.name()));
        write("hardware", hardware.metadata(), to);
        write("metadata", device.metadata(), to);
        write("options", device.options(), to);
    }

    private static void write(String name, Map<String, String> entries, JsonGenerator to) {
        to.writeObjectPropertyStart(name);
        new TreeMap<>(entries).forEach(to::writeStringProperty);
        to.writeEndObject();
    }
}
