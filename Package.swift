// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "clocksmith",
  products: [.executable(name: "clocksmith", targets: ["clocksmith"])],
  targets: [
    // System libraries: a module map and a header of includes each.
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CEBUR128"),
    .systemLibrary(name: "CINI"),
    .systemLibrary(name: "CJSON"),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSampleRate"),
    .systemLibrary(name: "CSndFile"),
    .systemLibrary(name: "CSystemd"),
    .target(name: "CClocksmith", linkerSettings: [.linkedLibrary("gpiod")]),

    .target(name: "Horology"),
    .target(
      name: "Sound",
      dependencies: ["Horology", "CEBUR128", "CINI", "CSampleRate", "CSndFile"]),
    .target(
      name: "Devices",
      dependencies: ["Horology", "Sound", "CALSA", "CClocksmith", "CLinux", "CSystemd"]),
    .target(
      name: "Service",
      dependencies: ["Horology", "Sound", "Devices", "CClocksmith", "CJSON", "CLinux", "CSystemd"]),
    .executableTarget(
      name: "clocksmith",
      dependencies: ["Horology", "Sound", "Devices", "Service", "CLinux"]),

    // What deploy/bench measures with; no product has it.
    .executableTarget(
      name: "onsets", dependencies: ["Horology", "Sound", "Devices", "Service"],
      path: "Tests/onsets"),
    .target(name: "TestSupport", dependencies: ["Sound"], path: "Tests/TestSupport"),
    .testTarget(name: "HorologyTests", dependencies: ["Horology"]),
    .testTarget(name: "SoundTests", dependencies: ["Sound", "Horology", "TestSupport"]),
    .testTarget(
      name: "DevicesTests", dependencies: ["Devices", "Sound", "Horology", "TestSupport"]),
    .testTarget(
      name: "ServiceTests",
      dependencies: ["Service", "Devices", "Sound", "Horology", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
