package dev.millrace.example.rag;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Passages about machines, and questions about them. A number decides what is said, so that each run has the same ones. */
final class Passages {
    private static final List<String> MACHINES = List.of(
            "water wheel",
            "windmill",
            "steam engine",
            "printing press",
            "power loom",
            "suspension bridge",
            "lighthouse",
            "pendulum clock",
            "telegraph",
            "hot-air balloon",
            "canal lock",
            "grain elevator",
            "tide mill",
            "sawmill",
            "blast furnace",
            "observatory",
            "paper mill",
            "funicular",
            "ice house",
            "foundry");
    private static final List<String> PLACES = List.of(
            "Lyon", "Bergen", "Kyoto", "Porto", "Bath", "Bruges", "Cusco", "Tartu", "Graz", "Oaxaca", "Galway", "Fez",
            "Trieste", "Uppsala", "Delft", "Zadar", "Kazan", "Hobart", "Quebec", "Muscat", "Girona", "Lund", "Perth",
            "Varna", "Salta");
    private static final List<String> MAKERS = List.of(
            "a guild of millers",
            "two brothers",
            "the town council",
            "a company of merchants",
            "a monastery",
            "an engineer from abroad",
            "the widow of a carpenter",
            "students of the academy",
            "a family of smiths",
            "the harbour office");
    private static final List<String> EVENTS = List.of(
            "a flood carried away its foundations",
            "a fire destroyed the upper floors",
            "the river changed its course",
            "the railway reached the valley",
            "a new law forbade its use at night",
            "its owner went bankrupt",
            "an earthquake cracked its walls",
            "coal became cheaper than wood",
            "the main shaft broke",
            "the market moved to the other bank");
    private static final List<String> USES = List.of(
            "It served as a granary for some years.", "Children learned to swim in its basin.",
            "Its drawings are kept in the archive of the province.", "Visitors can turn the smallest wheel by hand.",
            "A plaque at the gate names everybody who worked there.", "The oak beams were sold to a shipyard.",
            "Its bell still rings at noon.", "The mechanism was copied in three other towns.");

    private Passages() {}

    /** Returns so many passages, all different. */
    static List<String> of(int count) {
        return IntStream.range(0, count).mapToObj(Passages::passage).toList();
    }

    private static String passage(int number) {
        var random = new Random(number);
        return "The " + machine(number) + " of " + place(number) + " was built in " + year(number) + " by "
                + any(MAKERS, random) + ". In " + (year(number) + 5 + random.nextInt(60)) + " " + any(EVENTS, random)
                + ", and it stood still for " + (1 + random.nextInt(30)) + " years. " + any(USES, random)
                + " It is " + (4 + random.nextInt(60)) + " metres high and has "
                + (2 + random.nextInt(9)) + " floors. " + any(USES, random);
    }

    /** Returns the question that a passage answers. */
    static String question(int number) {
        return "Who built the " + machine(number) + " of " + place(number) + " in " + year(number) + "?";
    }

    private static String machine(int number) {
        return MACHINES.get(number % MACHINES.size());
    }

    private static String place(int number) {
        return PLACES.get(number / MACHINES.size() % PLACES.size());
    }

    private static int year(int number) {
        return 1600 + number / (MACHINES.size() * PLACES.size()) * 20 + number % 17;
    }

    private static String any(List<String> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }
}
