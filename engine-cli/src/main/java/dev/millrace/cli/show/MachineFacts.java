package dev.millrace.cli.show;

import com.sun.management.OperatingSystemMXBean;
import dev.millrace.session.Engine;
import dev.millrace.session.PlatformReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The facts that the engine found about this machine, as text.
 *
 * @param byName the facts by their names, in the order in which they are shown
 * @param notes the reasons why models are slower here than they could be
 */
public record MachineFacts(Map<String, String> byName, List<String> notes) {
    private static final String NONE = "none";

    public MachineFacts {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
        notes = List.copyOf(notes);
    }

    /** @param models the folder of downloaded models */
    public static MachineFacts of(Engine engine, String version, Path models) {
        PlatformReport platform = engine.platform();
        var facts = new LinkedHashMap<String, String>();
        facts.put("version", version);
        facts.put("system", property("os.name") + " " + property("os.version") + " on " + property("os.arch"));
        facts.put("jdk", Runtime.version() + ", " + property("java.vendor") + ", " + property("java.home"));
        facts.put("providers", String.join(", ", engine.providers()));
        platform.levels().forEach((provider, level) -> facts.put(provider, level.name() + ": " + level.reason()));
        facts.put("threads", Integer.toString(engine.threads()));
        facts.put("processors", Runtime.getRuntime().availableProcessors() + " that this process may use");
        facts.put("memory", memory());
        facts.put("heap", SessionText.bytes(Runtime.getRuntime().maxMemory()) + " at most");
        facts.put("models", state(models.toString()));
        facts.put("context cache", state(System.getenv("MILLRACE_CONTEXT_CACHE")));
        facts.put("kept code", state(System.getProperty("millrace.code")));
        facts.put("AOT cache", state(option("-XX:AOTCache=")));
        return new MachineFacts(facts, platform.notes());
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    private static String memory() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? SessionText.bytes(system.getTotalMemorySize()) + " that this process may use, "
                        + SessionText.bytes(system.getFreeMemorySize()) + " free"
                : "unknown";
    }

    private static @Nullable String option(String start) {
        String found = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith(start))
                .collect(Collectors.joining());
        return found.isEmpty() ? null : found.substring(start.length());
    }

    /** Returns the path of a file or folder with its size or state. */
    private static String state(@Nullable String place) {
        if (place == null || place.isEmpty()) {
            return NONE;
        }
        Path path = Path.of(place);
        try {
            if (Files.isDirectory(path)) {
                return place;
            }
            return place + (Files.exists(path) ? ", " + SessionText.bytes(Files.size(path)) : ", not there yet");
        } catch (IOException e) {
            return place + ", unreadable: " + e.getMessage();
        }
    }
}
