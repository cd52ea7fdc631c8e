function version = snapcube_version()
% SNAPCUBE_VERSION  The version of the library in use.
  version = snapcube_mex('version');
end
