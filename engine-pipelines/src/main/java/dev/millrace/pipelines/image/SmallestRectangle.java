package dev.millrace.pipelines.image;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rectangle of the smallest area around points. One of its sides lies on a side of their convex hull (Freeman and Shapira 1975).
 *
 * @param centre the middle
 * @param direction the angle of the first side, in radians
 * @param along the length of the first side
 * @param across the length of the other side
 */
record SmallestRectangle(Point centre, double direction, double along, double across) {
    static SmallestRectangle around(List<Point> points) {
        List<Point> hull = hull(points);
        @Nullable SmallestRectangle best = null;
        for (int i = 0; i < hull.size(); i++) {
            Point from = hull.get(i);
            Point to = hull.get((i + 1) % hull.size());
            SmallestRectangle next = inDirection(hull, Math.atan2(to.y() - from.y(), to.x() - from.x()));
            if (best == null || next.along * next.across < best.along * best.across - 1e-9) {
                best = next;
            }
        }
        return best == null ? inDirection(points, 0) : best;
    }

    private static SmallestRectangle inDirection(List<Point> points, double angle) {
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        double left = Double.POSITIVE_INFINITY;
        double right = Double.NEGATIVE_INFINITY;
        double top = Double.POSITIVE_INFINITY;
        double bottom = Double.NEGATIVE_INFINITY;
        for (Point each : points) {
            double u = each.x() * cos + each.y() * sin;
            double v = each.y() * cos - each.x() * sin;
            left = Math.min(left, u);
            right = Math.max(right, u);
            top = Math.min(top, v);
            bottom = Math.max(bottom, v);
        }
        double u = (left + right) / 2;
        double v = (top + bottom) / 2;
        return new SmallestRectangle(
                new Point(u * cos - v * sin, u * sin + v * cos), angle, right - left, bottom - top);
    }

    /** Returns the corners of the convex hull, from the monotone chain of Andrew (1979). */
    private static List<Point> hull(List<Point> points) {
        List<Point> sorted = points.stream()
                .distinct()
                .sorted(Comparator.comparingDouble(Point::x).thenComparingDouble(Point::y))
                .toList();
        if (sorted.size() < 3) {
            return sorted;
        }
        var hull = new ArrayList<Point>();
        addChain(sorted, hull);
        addChain(sorted.reversed(), hull);
        return hull;
    }

    private static void addChain(List<Point> points, List<Point> hull) {
        int before = hull.size();
        for (Point next : points) {
            while (hull.size() >= before + 2 && turn(hull.get(hull.size() - 2), hull.getLast(), next) <= 0) {
                hull.removeLast();
            }
            hull.add(next);
        }
        hull.removeLast();
    }

    private static double turn(Point a, Point b, Point c) {
        return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
    }

    /** Returns the rectangle whose sides are moved outwards by a distance. */
    SmallestRectangle grown(double distance) {
        return new SmallestRectangle(centre, direction, along + 2 * distance, across + 2 * distance);
    }

    double area() {
        return along * across;
    }

    double perimeter() {
        return 2 * (along + across);
    }

    double shorterSide() {
        return Math.min(along, across);
    }

    /** Whether a point lies inside or on a side. */
    boolean contains(double x, double y) {
        double cos = Math.cos(direction);
        double sin = Math.sin(direction);
        double u = (x - centre.x()) * cos + (y - centre.y()) * sin;
        double v = (y - centre.y()) * cos - (x - centre.x()) * sin;
        return Math.abs(u) <= along / 2 + 1e-6 && Math.abs(v) <= across / 2 + 1e-6;
    }

    /** Returns the corners, from the upper left one of text that is turned by less than 45 degrees. */
    Quad corners() {
        // quarter turns until the first side runs to the right
        long quarters = Math.round(direction / (Math.PI / 2));
        double angle = direction - quarters * Math.PI / 2;
        boolean swaps = quarters % 2 != 0;
        double width = swaps ? across : along;
        double height = swaps ? along : across;
        return new Quad(
                corner(angle, -width, -height),
                corner(angle, width, -height),
                corner(angle, width, height),
                corner(angle, -width, height));
    }

    private Point corner(double angle, double u, double v) {
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        return new Point(centre.x() + (u * cos - v * sin) / 2, centre.y() + (u * sin + v * cos) / 2);
    }
}
