import Basics

/// The fault that `body` throws; nil if it throws none, or another error.
public func faultThrown(_ body: () throws -> Void) -> Fault? {
  do {
    try body()
    return nil
  } catch {
    return error as? Fault
  }
}
