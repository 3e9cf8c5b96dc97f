package dev.millrace.pipelines.image;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Connected regions of a map of probabilities: neighbours, diagonal ones included, that are above a threshold. */
final class Regions {
    private Regions() {}

    /** Returns for each region the first and the last pixel of each of its rows, whose convex hull is that of the region. */
    static List<List<Point>> of(float[] map, int width, int height, double threshold) {
        boolean[] seen = new boolean[map.length];
        var regions = new ArrayList<List<Point>>();
        for (int i = 0; i < map.length; i++) {
            if (!seen[i] && map[i] > threshold) {
                regions.add(ends(map, width, height, threshold, i, seen));
            }
        }
        return regions;
    }

    private static List<Point> ends(float[] map, int width, int height, double threshold, int first, boolean[] seen) {
        int top = first / width;
        var rows = new ArrayList<int[]>();
        var open = new ArrayDeque<Integer>();
        open.add(first);
        seen[first] = true;
        while (!open.isEmpty()) {
            int at = open.remove();
            int x = at % width;
            int y = at / width;
            while (rows.size() <= y - top) {
                rows.add(new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE});
            }
            int[] row = rows.get(y - top);
            row[0] = Math.min(row[0], x);
            row[1] = Math.max(row[1], x);
            for (int nextY = Math.max(0, y - 1); nextY <= Math.min(height - 1, y + 1); nextY++) {
                for (int nextX = Math.max(0, x - 1); nextX <= Math.min(width - 1, x + 1); nextX++) {
                    int next = nextY * width + nextX;
                    if (!seen[next] && map[next] > threshold) {
                        seen[next] = true;
                        open.add(next);
                    }
                }
            }
        }
        var ends = new ArrayList<Point>();
        for (int y = 0; y < rows.size(); y++) {
            ends.add(new Point(rows.get(y)[0], y + top));
            ends.add(new Point(rows.get(y)[1], y + top));
        }
        return ends;
    }
}
